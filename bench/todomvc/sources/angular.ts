// Templates are compiled in the page, by `@angular/compiler`: the compiler for builds needs Angular's own tools.
import '@angular/compiler';
import { Component, computed, signal } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';
import { count, FILTERS, route } from './common.js';

type Todo = { id: number; title: string; done: boolean };

@Component({
  selector: '#app',
  host: { '(window:hashchange)': 'follow()' },
  template: `
    <section class="todoapp">
      <header class="header">
        <h1>todos</h1>
        <input #box class="new-todo" placeholder="What needs to be done?" (keydown.enter)="add(box)">
      </header>
      @if (todos().length) {
        <main class="main">
          <ul class="todo-list">
            @for (todo of visible(); track todo.id) {
              <li [class.completed]="todo.done">
                <div class="view">
                  <input class="toggle" type="checkbox" [checked]="todo.done" (change)="toggle(todo.id)">
                  <label>{{ todo.title }}</label>
                  <button class="destroy" (click)="destroy(todo.id)"></button>
                </div>
              </li>
            }
          </ul>
        </main>
        <footer class="footer">
          <span class="todo-count"><strong>{{ left() }}</strong>{{ count(left()) }}</span>
          <ul class="filters">
            @for (name of names; track name) {
              <li><a [class.selected]="name === shown()" [href]="'#/' + name">{{ name }}</a></li>
            }
          </ul>
          @if (todos().length > left()) {
            <button class="clear-completed" (click)="clear()">Clear completed</button>
          }
        </footer>
      }
    </section>
  `,
})
class Todos {
  readonly names = Object.keys(FILTERS);
  readonly count = count;
  readonly todos = signal<Todo[]>([]);
  readonly shown = signal(route());
  readonly visible = computed(() => this.todos().filter(FILTERS[this.shown()]));
  readonly left = computed(() => this.todos().filter((todo) => !todo.done).length);
  private last = 0;

  add(box: HTMLInputElement): void {
    const title = box.value.trim();
    if (!title) return;
    this.last += 1;
    const made = { id: this.last, title, done: false };
    this.todos.update((todos) => [...todos, made]);
    box.value = '';
  }

  toggle(id: number): void {
    this.todos.update((todos) => todos.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo)));
  }

  destroy(id: number): void {
    this.todos.update((todos) => todos.filter((todo) => todo.id !== id));
  }

  clear(): void {
    this.todos.update((todos) => todos.filter((todo) => !todo.done));
  }

  follow(): void {
    this.shown.set(route());
  }
}

bootstrapApplication(Todos);
