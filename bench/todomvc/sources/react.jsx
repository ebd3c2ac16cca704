import { memo, useCallback, useEffect, useReducer, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { count, FILTERS, route } from './common.js';

function reduce(todos, { type, id, title }) {
  switch (type) {
    case 'add': return [...todos, { id, title, done: false }];
    case 'toggle': return todos.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo));
    case 'destroy': return todos.filter((todo) => todo.id !== id);
    default: return todos.filter((todo) => !todo.done);
  }
}

const Item = memo(({ todo, dispatch }) => (
  <li className={todo.done ? 'completed' : ''}>
    <div className="view">
      <input className="toggle" type="checkbox" checked={todo.done} onChange={() => dispatch({ type: 'toggle', id: todo.id })} />
      <label>{todo.title}</label>
      <button className="destroy" onClick={() => dispatch({ type: 'destroy', id: todo.id })} />
    </div>
  </li>
));

function useRoute() {
  const [shown, setShown] = useState(route);
  useEffect(() => {
    const follow = () => setShown(route());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return shown;
}

let last = 0;

function App() {
  const [todos, dispatch] = useReducer(reduce, []);
  const shown = useRoute();
  const left = todos.filter((todo) => !todo.done).length;
  const add = useCallback((event) => {
    const title = event.target.value.trim();
    if (event.key !== 'Enter' || !title) return;
    dispatch({ type: 'add', id: (last += 1), title });
    event.target.value = '';
  }, []);
  return (
    <section className="todoapp">
      <header className="header">
        <h1>todos</h1>
        <input className="new-todo" placeholder="What needs to be done?" onKeyDown={add} />
      </header>
      {todos.length > 0 && (
        <>
          <main className="main">
            <ul className="todo-list">
              {todos.filter(FILTERS[shown]).map((todo) => <Item key={todo.id} todo={todo} dispatch={dispatch} />)}
            </ul>
          </main>
          <footer className="footer">
            <span className="todo-count"><strong>{left}</strong>{count(left)}</span>
            <ul className="filters">
              {Object.keys(FILTERS).map((name) => (
                <li key={name}><a className={name === shown ? 'selected' : ''} href={`#/${name}`}>{name}</a></li>
              ))}
            </ul>
            {todos.length > left && <button className="clear-completed" onClick={() => dispatch({ type: 'clear' })}>Clear completed</button>}
          </footer>
        </>
      )}
    </section>
  );
}

createRoot(document.querySelector('#app')).render(<App />);
