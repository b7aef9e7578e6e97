# SPDX-License-Identifier: GPL-2.0-only
"""`python -m defiance_zoo` is the console command `defiance-zoo`."""

from defiance_zoo.command_line import main

if __name__ == "__main__":
    main()
