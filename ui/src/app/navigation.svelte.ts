// Where the window is, and the way back and forward.
import type { Place, RoomId } from '$shared';

/** Places kept for Back. */
const REMEMBERED = 100;

let places = $state.raw<Place[]>([{ room: 'chat', item: null }]);
let at = $state(0);
/** The last place in each room, so that its rail entry returns to it. */
const lastIn: Partial<Record<RoomId, Place>> = {};

export const navigation = {
  get place(): Place {
    return places[at] ?? { room: 'chat', item: null };
  },
  get canGoBack(): boolean {
    return at > 0;
  },
  get canGoForward(): boolean {
    return at < places.length - 1;
  },
  /** Goes to a place. Going to where we are already changes nothing. */
  go(place: Place) {
    const here = navigation.place;
    lastIn[place.room] = place;
    const same = (['room', 'item', 'search', 'message', 'view'] as const).every((part) => here[part] === place[part]);
    if (same) return;
    places = [...places.slice(0, at + 1), place].slice(-REMEMBERED);
    at = places.length - 1;
  },
  /** Enters a room where it was left. */
  enter(room: RoomId) {
    navigation.go(lastIn[room] ?? { room, item: null });
  },
  back() {
    if (navigation.canGoBack) at -= 1;
  },
  forward() {
    if (navigation.canGoForward) at += 1;
  },
  reset() {
    places = [{ room: 'chat', item: null }];
    at = 0;
    for (const room of Object.keys(lastIn)) delete lastIn[room as RoomId];
  },
};
