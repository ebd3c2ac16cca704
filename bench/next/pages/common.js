const $ = (id) => document.getElementById(id)
window.say = (text) => { $('out').textContent = text }
const show = (id, on = true) => { $(id).hidden = !on }
const put = (id, html) => $(id).insertAdjacentHTML('beforeend', html)
