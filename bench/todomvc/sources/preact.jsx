import { Component, render } from 'preact';
import { count, FILTERS, route } from './common.js';

const Item = ({ todo, toggle, destroy }) => (
  <li class={todo.done ? 'completed' : ''}>
    <div class="view">
      <input class="toggle" type="checkbox" checked={todo.done} onChange={toggle} />
      <label>{todo.title}</label>
      <button class="destroy" onClick={destroy} />
    </div>
  </li>
);

class App extends Component {
  state = { todos: [], shown: route() };

  last = 0;

  follow = () => this.setState({ shown: route() });

  componentDidMount() {
    addEventListener('hashchange', this.follow);
  }

  componentWillUnmount() {
    removeEventListener('hashchange', this.follow);
  }

  change(make) {
    this.setState(({ todos }) => ({ todos: make(todos) }));
  }

  add = (event) => {
    const title = event.target.value.trim();
    if (event.key !== 'Enter' || !title) return;
    this.last += 1;
    const made = { id: this.last, title, done: false };
    this.change((todos) => [...todos, made]);
    event.target.value = '';
  };

  toggle = (id) => this.change((todos) => todos.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo)));

  destroy = (id) => this.change((todos) => todos.filter((todo) => todo.id !== id));

  clear = () => this.change((todos) => todos.filter((todo) => !todo.done));

  render(_, { todos, shown }) {
    const left = todos.filter((todo) => !todo.done).length;
    return (
      <section class="todoapp">
        <header class="header">
          <h1>todos</h1>
          <input class="new-todo" placeholder="What needs to be done?" onKeyDown={this.add} />
        </header>
        {todos.length > 0 && (
          <main class="main">
            <ul class="todo-list">
              {todos.filter(FILTERS[shown]).map((todo) => (
                <Item key={todo.id} todo={todo} toggle={() => this.toggle(todo.id)} destroy={() => this.destroy(todo.id)} />
              ))}
            </ul>
          </main>
        )}
        {todos.length > 0 && (
          <footer class="footer">
            <span class="todo-count"><strong>{left}</strong>{count(left)}</span>
            <ul class="filters">
              {Object.keys(FILTERS).map((name) => (
                <li key={name}><a class={name === shown ? 'selected' : ''} href={`#/${name}`}>{name}</a></li>
              ))}
            </ul>
            {todos.length > left && <button class="clear-completed" onClick={this.clear}>Clear completed</button>}
          </footer>
        )}
      </section>
    );
  }
}

render(<App />, document.querySelector('#app'));
