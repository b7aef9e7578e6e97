# SPDX-License-Identifier: GPL-2.0-only
"""What carries messages: ZeroMQ, pipes, shared memory."""
