// Style sheets of the page, whose text is replaced in their place.

const sheetId = (element) =>
  element.dataset?.bunCss ?? /\/_bun\/asset\/([0-9a-f]{16})\.css/.exec(element.href ?? "")?.[1];

function sheets() {
  const found = new Map();
  for (const element of document.querySelectorAll('link[rel="stylesheet"], style[data-bun-css]')) {
    const id = sheetId(element);
    if (id !== undefined) found.set(id, element);
  }
  return found;
}

/** Puts the text of style sheets into the place of what was there; `order`: all sheets of the page. */
function takeSheets(texts, order) {
  const known = sheets();
  const put = (id, text, after) => {
    let element = known.get(id);
    if (element?.tagName !== "STYLE") {
      const style = document.createElement("style");
      style.setAttribute("data-bun-css", id);
      if (element !== undefined) {
        element.parentNode.insertBefore(style, element);
        element.remove();
      } else if (after !== undefined) after.parentNode.insertBefore(style, after.nextSibling);
      else document.head.insertBefore(style, null);
      element = style;
      known.set(id, element);
    }
    element.textContent = text;
  };
  let last;
  for (const id of order) {
    if (texts[id] !== undefined) put(id, texts[id], last);
    last = known.get(id) ?? last;
  }
  for (const { 0: id, 1: element } of known) if (!order.includes(id)) element.remove();
}
