import { mount } from 'svelte';
import Todos from './Todos.svelte';

mount(Todos, { target: document.querySelector('#app') });
