// TodoMVC in React: the markup of the specification (todomvc-app-css), all state in memory.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const SHOWN = { All: () => true, Active: (todo) => !todo.done, Completed: (todo) => todo.done };

function Item({ todo, change, remove }) {
  const [draft, setDraft] = useState(null);
  const save = () => { if (draft?.trim()) change({ title: draft.trim() }); setDraft(null); };
  return (
    <li className={`${todo.done ? 'completed' : ''} ${draft === null ? '' : 'editing'}`}>
      <div className="view">
        <input className="toggle" type="checkbox" checked={todo.done} onChange={(e) => change({ done: e.target.checked })} />
        <label onDoubleClick={() => setDraft(todo.title)}>{todo.title}</label>
        <button className="destroy" onClick={remove} />
      </div>
      {draft !== null && <input className="edit" autoFocus value={draft} onChange={(e) => setDraft(e.target.value)} onBlur={save}
        onKeyDown={(e) => { if (e.key === 'Enter') save(); if (e.key === 'Escape') setDraft(null); }} />}
    </li>
  );
}

function App() {
  const [todos, setTodos] = useState([{ id: 1, title: 'Water the plants', done: false }, { id: 2, title: 'Pay rent', done: true }]);
  const [shown, setShown] = useState('All');
  const change = (id) => (patch) => setTodos(todos.map((todo) => (todo.id === id ? { ...todo, ...patch } : todo)));
  const left = todos.filter((todo) => !todo.done).length;
  const add = (e) => {
    if (e.key !== 'Enter' || !e.target.value.trim()) return;
    setTodos([...todos, { id: Date.now(), title: e.target.value.trim(), done: false }]);
    e.target.value = '';
  };
  return (
    <>
      <header className="header"><h1>todos</h1>
        <input className="new-todo" placeholder="What needs to be done?" onKeyDown={add} /></header>
      {todos.length > 0 && <section className="main">
        <input id="toggle-all" className="toggle-all" type="checkbox" checked={!left}
          onChange={(e) => setTodos(todos.map((todo) => ({ ...todo, done: e.target.checked })))} />
        <label htmlFor="toggle-all">Mark all as complete</label>
        <ul className="todo-list">{todos.filter(SHOWN[shown]).map((todo) => (
          <Item key={todo.id} todo={todo} change={change(todo.id)} remove={() => setTodos(todos.filter((one) => one !== todo))} />))}</ul>
      </section>}
      <footer className="footer">
        <span className="todo-count"><strong>{left}</strong> {left === 1 ? 'item' : 'items'} left</span>
        <ul className="filters">{Object.keys(SHOWN).map((name) => (
          <li key={name}><a href={`#/${name}`} className={name === shown ? 'selected' : ''} onClick={() => setShown(name)}>{name}</a></li>))}</ul>
        {todos.length > left && <button className="clear-completed" onClick={() => setTodos(todos.filter((todo) => !todo.done))}>Clear completed</button>}
      </footer>
    </>
  );
}

createRoot(document.getElementById('root')).render(<App />);
