// The rooms of the window, in the order of the rail and of Ctrl+1, Ctrl+2, … A new room is one entry here.
import type { Component } from 'svelte';
import type { Health } from '$ipc';
import type { IconName, MessageKey, RoomId, RoomProps } from '$shared';
import ChatRoom from '../features/chat/ChatRoom.svelte';
import MemoriesRoom from '../features/memories/MemoriesRoom.svelte';
import ReviewRoom from '../features/review/ReviewRoom.svelte';

export interface Room {
  id: RoomId;
  label: MessageKey;
  icon: IconName;
  /** `null` for Settings, which `Frame.svelte` gives the session. */
  view: Component<RoomProps> | null;
  /** How many things wait there. */
  waiting?: (health: Health) => number;
  /** Stands at the foot of the rail. */
  foot?: boolean;
}

export const ROOMS: readonly Room[] = [
  { id: 'chat', label: 'room.chat', icon: 'chat', view: ChatRoom },
  { id: 'memories', label: 'room.memories', icon: 'memory', view: MemoriesRoom },
  { id: 'review', label: 'room.review', icon: 'review', view: ReviewRoom, waiting: (health) => health.waiting },
  { id: 'settings', label: 'room.settings', icon: 'settings', view: null, foot: true },
];
