"""Pages whose commands are run: console blocks with what the program printed, and how alike two outputs are."""
import re
import textwrap


def alike(shown, printed):
    """The same words, and numbers of the same size: other instruction sets round otherwise, and methods get better. Returns what
    differs, or None."""
    left, right = shown.split(), printed.split()
    if len(left) != len(right):
        return f"{len(left)} words on the page, {len(right)} printed"
    for one, other in zip(left, right):
        numbers = [re.fullmatch(r"[(\[']*(-?[\d.]*\d(?:e[+-]?\d+)?)[%s),;:\]']*", word) for word in (one, other)]
        if all(numbers):
            a, b = float(numbers[0][1]), float(numbers[1][1])
            if abs(a - b) > max(0.15, 0.5 * max(abs(a), abs(b))):
                return f"{one} on the page, {other} printed"
        elif one != other:
            return f"'{one}' on the page, '{other}' printed"
    return None


def shows(line, printed):
    """Whether a line of a page, which "..." may cut off, is among the printed ones."""
    cut = line.endswith(" ...")
    words = re.sub(r", \d+\.\d s$", "", line).removesuffix(" ...").split()
    return any(not alike(" ".join(words), " ".join(other.split()[:len(words)] if cut else other.split())) for other in printed)


def folded(text, width=118):
    """Long lines broken, what follows indented."""
    return "".join("\n".join(textwrap.wrap(line, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)) + "\n"
                   for line in text.splitlines())
