"""A page with custom elements whose roles, names and states stand in `ElementInternals` only."""

INTERNALS = """<night-mode></night-mode><buy-now></buy-now><script>
customElements.define('night-mode', class extends HTMLElement {
  constructor() {
    super();
    const internals = this.attachInternals();
    Object.assign(internals, { role: 'switch', ariaLabel: 'Night mode', ariaChecked: 'false' });
    this.attachShadow({ mode: 'open' }).innerHTML = '<b>x</b>';
    this.addEventListener('click', () => {
      internals.ariaChecked = String(internals.ariaChecked !== 'true');
      document.title = `night ${internals.ariaChecked}`;
    });
  }
});
customElements.define('buy-now', class extends HTMLElement {
  constructor() {
    super();
    Object.assign(this.attachInternals(), { role: 'button', ariaLabel: 'Buy now' });
    this.attachShadow({ mode: 'closed' }).innerHTML = '<i>¤</i>';
    this.addEventListener('click', () => { document.title = 'bought'; });
  }
});</script>"""
