// What the chat keeps while another room is shown: the open thread and what was typed.
import type { ChatStore, OpenId } from './chat.svelte';

let last: OpenId | null = null;
let drafts: Record<string, string> = {};
let pasted: Record<string, string> = {};

export const openedBefore = {
  get last(): OpenId | null {
    return last;
  },
  keep(store: ChatStore) {
    last = store.openId;
    drafts = { ...store.drafts };
    pasted = { ...store.pasted };
  },
  restore(store: ChatStore) {
    Object.assign(store.drafts, drafts);
    Object.assign(store.pasted, pasted);
  },
  reset() {
    last = null;
    drafts = {};
    pasted = {};
  },
};
