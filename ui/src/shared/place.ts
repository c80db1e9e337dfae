// Where the window is: a room and, in it, one thing. Rooms get it as a prop and ask for another with `go`.

export type RoomId = 'chat' | 'memories' | 'review' | 'settings';

export interface Place {
  room: RoomId;
  /** The thread, memory, review item or settings section; `null` for the room as it was. */
  item: string | null;
  /** Words to search for, when the place was opened by a search. */
  search?: string;
  /** Another view of the room than its list. */
  view?: 'playground';
  /** The message of a thread to show, when the place was opened from a quote. */
  message?: string;
}

/** What every room gets. */
export interface RoomProps {
  place: Place;
  go: (place: Place) => void;
}
