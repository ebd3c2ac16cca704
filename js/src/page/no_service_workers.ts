// Keeps pages from registering service workers: CDP has no command for that. Runs in the main world before the page's own scripts.
export default function refuseServiceWorkers() {
  if (!navigator.serviceWorker) return;
  const refuse = async () => {
    throw new DOMException("Service workers are blocked", "SecurityError");
  };
  try {
    Object.getPrototypeOf(navigator.serviceWorker).register = refuse;
  } catch {
    // A page that was there before has frozen it.
  }
}
