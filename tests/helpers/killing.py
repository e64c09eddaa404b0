"""Commands that are killed at some moment."""
import subprocess


def killed_after(command, seconds):
    """Whether the command was still at work when it was killed; one that ends before must end well."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _, said = process.communicate(timeout=seconds)
        assert process.returncode == 0, said.decode()
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return True
