// One short message at the bottom of the window, with an action: "Thread deleted · Undo". It is never the only place
// of a message. It leaves after 6 s and waits while the pointer or the focus is on it.

export interface ToastMessage {
  text: string;
  kind?: 'done' | 'failed';
  action?: { text: string; run: () => void };
}

const STAYS_MS = 6000;

let message = $state.raw<ToastMessage | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

export const toast = {
  get current(): ToastMessage | null {
    return message;
  },
  show(next: ToastMessage) {
    message = next;
    toast.resume();
  },
  hide() {
    clearTimeout(timer);
    message = null;
  },
  /** The pointer or the focus is on it. */
  hold() {
    clearTimeout(timer);
  },
  resume() {
    clearTimeout(timer);
    timer = setTimeout(() => (message = null), STAYS_MS);
  },
};
