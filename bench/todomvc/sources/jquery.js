import $ from 'jquery';
import { count, FILTERS, route } from './common.js';

// The list is made again after every change, as the TodoMVC of jQuery does.
let todos = [];
let last = 0;

const $app = $('#app').html(`
  <section class="todoapp">
    <header class="header">
      <h1>todos</h1>
      <input class="new-todo" placeholder="What needs to be done?">
    </header>
    <main class="main"><ul class="todo-list"></ul></main>
    <footer class="footer"></footer>
  </section>`);
const $main = $app.find('.main');
const $list = $app.find('.todo-list');
const $footer = $app.find('.footer');

const item = ({ id, title, done }) => $('<li>').data('id', id).toggleClass('completed', done).append(
  $('<div class="view">').append(
    $('<input class="toggle" type="checkbox">').prop('checked', done),
    $('<label>').text(title),
    $('<button class="destroy">'),
  ),
);

const link = (name) => $('<li>').append($('<a>', { href: `#/${name}`, text: name }).toggleClass('selected', name === route()));

function renderFooter() {
  const left = todos.filter((todo) => !todo.done).length;
  $footer.empty().append(
    $('<span class="todo-count">').append($('<strong>').text(left), count(left)),
    $('<ul class="filters">').append(Object.keys(FILTERS).map(link)),
    todos.length > left ? $('<button class="clear-completed">').text('Clear completed') : '',
  );
}

function render() {
  $list.empty().append(todos.filter(FILTERS[route()]).map(item));
  renderFooter();
  $main.add($footer).toggle(todos.length > 0);
}

const idOf = (element) => $(element).closest('li').data('id');

function keep(wanted) {
  todos = todos.filter(wanted);
  render();
}

$app.on('keydown', '.new-todo', ({ key, target }) => {
  const title = $(target).val().trim();
  if (key !== 'Enter' || !title) return;
  last += 1;
  todos.push({ id: last, title, done: false });
  $(target).val('');
  render();
});
$app.on('change', '.toggle', ({ target }) => {
  const todo = todos.find(({ id }) => id === idOf(target));
  todo.done = !todo.done;
  render();
});
$app.on('click', '.destroy', ({ target }) => {
  const id = idOf(target);
  keep((todo) => todo.id !== id);
});
$app.on('click', '.clear-completed', () => keep((todo) => !todo.done));
$(window).on('hashchange', render);
render();
