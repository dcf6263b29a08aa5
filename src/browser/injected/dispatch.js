// Dispatches an event on an element. Runs in the page's main world, so that `init` may contain objects of the page.
(element, [kind, init]) => {
  const Kind = /^(?:drag|drop)/.test(kind) ? DragEvent : /^(?:click|mouse)/.test(kind) ? MouseEvent : Event;
  element.dispatchEvent(new Kind(kind, { bubbles: true, cancelable: true, composed: true, ...init }));
};
