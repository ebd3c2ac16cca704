import { createApp } from 'vue';
import Todos from './Todos.vue';

createApp(Todos).mount('#app');
