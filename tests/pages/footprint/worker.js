importScripts("probes.js");
traps();
onmessage = ({ data }) => postMessage(observe(data));
