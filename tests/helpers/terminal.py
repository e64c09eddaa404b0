"""What a terminal gets of a command."""
import fcntl
import os
import pty
import struct
import subprocess
import termios


def in_terminal(command, columns=None, kind="xterm"):
    """Standard output, and standard error as a terminal, of that kind, and of that width if one is given, gets it."""
    leader, follower = pty.openpty()
    if columns:
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower, env=dict(os.environ, TERM=kind))
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    out = process.stdout.read().decode()
    assert process.wait() == 0, shown
    return out, shown.decode()
