#!/usr/bin/env bash
# `make docs` makes a site of all pages with a search index; mkdocs checks the links.
set -eu
command -v mkdocs >/dev/null || { echo "SKIPPED: mkdocs is not installed (tools/bootstrap docs)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$SOURCE/tools/build_docs" -o "$folder/site"
pages=$(cd "$SOURCE" && find docs -name '*.md' | wc -l)
made=$(find "$folder/site/docs" -name '*.html' | wc -l)
[ "$made" -eq $((pages + 1)) ] || { echo "$pages pages and the C reference, $made in the site"; exit 1; }
[ -s "$folder/site/index.html" ] && [ -s "$folder/site/search/search_index.json" ] || { echo "no start page or no search index"; exit 1; }
echo "1 passed, 0 failed"
