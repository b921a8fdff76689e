"""What we run in a page: before its own scripts, and when we look at what it came to. Pure."""

from __future__ import annotations

BEFORE = """
Object.defineProperty(Navigator.prototype, 'onLine', {get: () => true, configurable: true});
{
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (how) { return attach.call(this, {...how, mode: 'open'}); };
}
"""
"""In its own world: it is online as far as it is concerned, and no part of it is closed to us."""

LOOK = """
(() => {
  const roots = [];
  const find = (top) => {
    const walker = document.createTreeWalker(top, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (node.shadowRoot) { roots.push(node.shadowRoot); find(node.shadowRoot); }
  };
  find(document);
  const type = document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>' : '';
  const top = document.documentElement;
  if (!top) return {dom: '', url: location.href};
  const [open, close] = top.cloneNode(false).outerHTML.split(/(?=<\\/[^>]*>$)/);
  const dom = type + open + top.getHTML({shadowRoots: roots}) + (close ?? '');
  return {dom: dom.slice(0, LONGEST).toWellFormed(), url: location.href.toWellFormed()};
})()
"""
"""In a world of ours, where no script of the page can have changed what these words mean."""


def look(longest: int) -> str:
    """Returns the script that returns the document with its shadow roots, cut to so many characters."""
    return LOOK.replace("LONGEST", str(longest))
