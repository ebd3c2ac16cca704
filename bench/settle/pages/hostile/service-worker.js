// Answers /hostile/service-worker-answer by itself, after 300 ms.
onfetch = (event) => {
  const url = new URL(event.request.url);
  if (url.pathname !== '/hostile/service-worker-answer') return;
  const answer = new Promise((resolve) => setTimeout(() => resolve(new Response(url.searchParams.get('text'))), 300));
  event.respondWith(answer);
};
oninstall = () => skipWaiting();
onactivate = (event) => event.waitUntil(clients.claim());
