# SPDX-License-Identifier: GPL-2.0-only
"""Links that carry messages: ZeroMQ, pipes, shared memory."""
