importScripts('look.js')
postMessage(look())
