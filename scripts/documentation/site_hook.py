"""What mkdocs.yml asks of MkDocs beyond its own means.

- The order of pages is that in which a folder's README.md links to them; one that it leaves out is
  an error.
- Every Markdown file of the repository is a page, and so is what pages link to outside of docs/, in
  repository/ of the site: links work there as they do where the repository is looked at. A link to
  what is not there is an error.
- Formulas become MathML, which needs no script.
- What GitHub reads as a list or a table and Python-Markdown as text is an error.
"""

import html
import logging
import posixpath
import re
import subprocess
from pathlib import Path

import latex2mathml.converter
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent.parent
# Debian's fonts-stix: what formulas need of a font is in few that browsers have.
MATH_FONT = Path("/usr/share/fonts/opentype/stix-word/STIXMath-Regular.otf")
DOCS = "docs"
REPOSITORY = "repository"
IMAGES = {".png", ".svg", ".jpg"}
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s]+)(?=\))|(?<=\bsrc=\")(?!\w+:)([^\"]+)(?=\")")
CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
# Commands of LaTeX that latex2mathml does not know, by what it does.
COMMANDS = {r"\\vert(?![a-zA-Z])": "|", r"\\arg(?![a-zA-Z])": r"\\operatorname{arg}"}
LIST_ITEM = re.compile(r"( *)([-*+]|\d+\.) ")

log = logging.getLogger(f"mkdocs.plugins.{__name__}")
origins = {}  # path in the repository by path in the site, of pages outside of docs/


def repository_path(uri):
    """Of a page of the site."""
    return origins.get(uri, posixpath.join(DOCS, uri))


def site_path(path):
    """Of a file or folder of the repository."""
    if path.startswith(f"{DOCS}/"):
        return posixpath.relpath(path, DOCS)
    suffix = Path(path).suffix
    return posixpath.join(REPOSITORY, path if suffix in IMAGES or suffix == ".md" else f"{path}.md")


def prose_lines(markdown):
    """(line, whether it is prose) of a page: the rest is code."""
    fence, in_list, indented, blank = None, False, False, True
    for line in markdown.splitlines():
        mark = re.match(r" *(```+|~~~+)", line)
        if fence or mark:
            yield line, False
            if not fence:
                fence = mark[1]
            elif mark and line.strip() == fence:
                fence = None
            blank = False
            continue
        if line.strip():
            if not line.startswith("  "):
                in_list = bool(LIST_ITEM.match(line))
            indented = line.startswith("    ") and not in_list and (blank or indented)
        blank = not line.strip()
        yield line, not indented


def map_links(markdown, change):
    """The page with each relative link `x` outside of code as change(x)."""
    def in_line(line):
        spans = [span.span() for span in CODE_SPAN.finditer(line)]
        return LINK.sub(lambda link: link[0] if any(a <= link.start() < b for a, b in spans) else change(link[0]), line)

    return "\n".join(in_line(line) if prose else line for line, prose in prose_lines(markdown)) + "\n"


def target_of(link, origin):
    """(path in the repository, fragment) of a link on the page `origin`, a path too."""
    path, _, fragment = link.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
    if (ROOT / path / "README.md").is_file():
        path = posixpath.join(path, "README.md")
    return path, f"#{fragment}" if fragment else ""


def source_page(path):
    """A page that shows a file of text, or names what a folder holds."""
    file = ROOT / path
    if file.is_dir():
        text = "\n".join(sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in file.iterdir()))
    else:
        text = file.read_text()
    language = {".h": "cpp", ".cpp": "cpp", ".kernel": "c", ".toml": "toml", ".py": "python"}.get(file.suffix, "")
    return f"---\nsearch: {{ exclude: true }}\n---\n# {path}\n\n~~~~~~{language}\n{text}\n~~~~~~\n"


def links_of(path):
    """Paths in the repository that a Markdown file links to."""
    found = []
    map_links((ROOT / path).read_text(), lambda link: found.append(target_of(link, path)[0]) or link)
    return found


def on_config(config):
    nav = []
    for entry in config.nav:
        title, folder = next(iter(entry.items())) if isinstance(entry, dict) else (None, entry)
        nav.append({title: pages_of(folder.rstrip("/"))} if folder.endswith("/") else entry)
    config.nav = nav
    return config


def pages_of(folder):
    """A folder of docs/ as a section: its README.md, and pages in the order in which that names them."""
    index = f"{DOCS}/{folder}/README.md"
    named = [path for path in links_of(index) if posixpath.dirname(path) == f"{DOCS}/{folder}" and path.endswith(".md")]
    pages = list(dict.fromkeys([index, *named]))
    for file in sorted((ROOT / DOCS / folder).glob("*.md")):
        if f"{DOCS}/{folder}/{file.name}" not in pages:
            log.warning(f"{index} has no link to {file.name}")
    return [posixpath.relpath(page, DOCS) for page in pages]


def on_files(files, config):
    if MATH_FONT.is_file():
        files.append(File.generated(config, f"assets/{MATH_FONT.name}", abs_src_path=str(MATH_FONT)))
    else:
        log.warning(f"there is no {MATH_FONT} for formulas; it comes with Debian's fonts-stix")
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    waiting = [path for path in listed if (ROOT / path).is_file()]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        uri = site_path(path)
        if uri.startswith(f"{REPOSITORY}/"):
            origins[uri] = path
            if Path(path).suffix in IMAGES | {".md"}:
                files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
            else:
                files.append(File.generated(config, uri, content=source_page(path)))
        for target in links_of(path) if path.endswith(".md") else []:
            if target in seen:
                continue
            if not (ROOT / target).exists() or target.startswith(".."):
                log.warning(f"{path} has a link to {target}, which is not there")
                continue
            seen.add(target)
            waiting.append(target)
    return files


def on_page_markdown(markdown, page, config, files):
    origin = repository_path(page.file.src_uri)
    if not origin.endswith(".md"):
        return markdown
    check_blocks(markdown, origin)

    def to_site(link):
        path, fragment = target_of(link, origin)
        if not path.endswith(".md"):  # a page of source text has no anchors
            fragment = ""
        return posixpath.relpath(site_path(path), posixpath.dirname(page.file.src_uri) or ".") + fragment

    return map_links(markdown, to_site)


def check_blocks(markdown, origin):
    """Lists and tables as both readings of Markdown have them."""
    before = ""
    for number, (line, prose) in enumerate(prose_lines(markdown), 1):
        item = LIST_ITEM.match(line) if prose else None
        inside = before.startswith(" ") or LIST_ITEM.match(before)
        if item and before.strip() and not inside:
            log.warning(f"{origin}:{number}: a list needs an empty line before it")
        if item and len(item[1]) % 4:
            log.warning(f"{origin}:{number}: a list in a list is indented by four")
        if prose and line.startswith("|") and before.strip() and not before.startswith("|"):
            log.warning(f"{origin}:{number}: a table needs an empty line before it")
        before = line if prose else ""


def on_page_content(content, page, config, files):
    def mathml(formula):
        text, display = html.unescape(formula[2])[2:-2], "block" if formula[1] == "div" else "inline"
        for command, known in COMMANDS.items():
            text = re.sub(command, known, text)
        made = latex2mathml.converter.convert(text.strip(), display=display)
        unknown = re.findall(r">(\\\w+)<", made)
        if unknown:
            log.warning(f"{page.file.src_uri}: {unknown[0]} of a formula has no MathML")
        # Bars of moduli and norms, which would stand apart like operators.
        return re.sub(r"<mo([^>]*)>(&#x0007C;|&#x02016;)", r'<mo\1 lspace="0" rspace="0">\2', made)

    return re.sub(r'<(div|span) class="arithmatex">(.*?)</\1>', mathml, content, flags=re.DOTALL)


def on_post_page(output, page, config):
    for address in re.findall(r'<(?:script|img|link|iframe)[^>]*(?:src|href)="(\w+://[^"]*)"', output):
        log.warning(f"{page.file.src_uri} takes {address} from a network")
    return output
