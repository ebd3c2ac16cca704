// The only one with a shadow root, as elements of Lit have.
import { html, LitElement, nothing, unsafeCSS } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import style from 'todomvc-app-css/index.css';
import { count, FILTERS, route } from './common.js';

class TodoApp extends LitElement {
  static properties = { todos: { state: true }, shown: { state: true } };

  static styles = unsafeCSS(style);

  constructor() {
    super();
    this.todos = [];
    this.shown = route();
    this.last = 0;
    this.follow = () => { this.shown = route(); };
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener('hashchange', this.follow);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.follow);
  }

  add({ key, target }) {
    const title = target.value.trim();
    if (key !== 'Enter' || !title) return;
    this.last += 1;
    this.todos = [...this.todos, { id: this.last, title, done: false }];
    target.value = '';
  }

  toggle(id) {
    this.todos = this.todos.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo));
  }

  keep(wanted) {
    this.todos = this.todos.filter(wanted);
  }

  item(todo) {
    return html`<li class=${classMap({ completed: todo.done })}>
      <div class="view">
        <input class="toggle" type="checkbox" .checked=${live(todo.done)} @change=${() => this.toggle(todo.id)}>
        <label>${todo.title}</label>
        <button class="destroy" @click=${() => this.keep((other) => other.id !== todo.id)}></button>
      </div>
    </li>`;
  }

  link(name) {
    return html`<li><a class=${classMap({ selected: name === this.shown })} href="#/${name}">${name}</a></li>`;
  }

  body() {
    const left = this.todos.filter((todo) => !todo.done).length;
    return html`
      <main class="main">
        <ul class="todo-list">
          ${repeat(this.todos.filter(FILTERS[this.shown]), (todo) => todo.id, (todo) => this.item(todo))}
        </ul>
      </main>
      <footer class="footer">
        <span class="todo-count"><strong>${left}</strong>${count(left)}</span>
        <ul class="filters">${Object.keys(FILTERS).map((name) => this.link(name))}</ul>
        ${this.todos.length > left
          ? html`<button class="clear-completed" @click=${() => this.keep((todo) => !todo.done)}>Clear completed</button>`
          : nothing}
      </footer>`;
  }

  render() {
    return html`<section class="todoapp">
      <header class="header">
        <h1>todos</h1>
        <input class="new-todo" placeholder="What needs to be done?" @keydown=${this.add}>
      </header>
      ${this.todos.length ? this.body() : nothing}
    </section>`;
  }
}

customElements.define('todo-app', TodoApp);
document.querySelector('#app').append(document.createElement('todo-app'));
