// Many memories and every kind of review item, to look at long lists and at each variant.
import type { Category, ReviewReason } from '../generated/types';
import { evidenceOf, memoryOf, reviewOf, type World } from './data';

const THINGS: [Category, string][] = [
  ['preference', 'Likes the quiet carriage on train number'],
  ['preference', '회의는 오전보다 오후를 좋아함, 메모'],
  ['decision', 'Chose the green cover for notebook'],
  ['pattern', 'Waters the plants on the morning of day'],
  ['project', '부산 워크숍 준비 목록'],
  ['reference', 'The floor plan is in folder'],
  ['profile', '자전거로 출근하는 길, 구간'],
];

const MINUTE = 60_000;

/** Adds memories that differ by their number, and review items of every reason in turn. */
export function addMore(world: World, more: { memories?: number; review?: number }, now: number) {
  for (let index = 0; index < (more.memories ?? 0); index += 1) {
    const [category, words] = THINGS[index % THINGS.length] ?? ['preference', 'Memory'];
    world.memories.push(memoryOf(`more-${index}`, category, `${words} ${index + 1}`, now - index * 7 * MINUTE));
  }
  const reasons: ReviewReason[] = [
    'confirm',
    'injection_suspected',
    'normalisation_failed',
    'write_failed',
    'retrieval_failed',
    'sensitive',
    'procedural',
  ];
  for (let index = 0; index < (more.review ?? 0); index += 1) {
    const at = now - (index + 1) * MINUTE;
    const reason = reasons[index % reasons.length] ?? 'confirm';
    const text =
      index % 2 === 0 ? `Keeps note number ${index + 1} for later` : `${index + 1}번째 메모를 나중에 보려고 남겨 둠`;
    const said = world.messages[index % Math.max(1, world.messages.length)];
    const memory = memoryOf(`waiting-${index}`, 'reference', text, at, {
      evidence: said?.role === 'user' ? evidenceOf(said, said.text.split('. ')[0] ?? said.text) : null,
    });
    const item = reviewOf(`review-more-${index}`, reason, memory, at, null);
    if (reason === 'retrieval_failed') item.waiting.candidate = null;
    world.review.push(item);
  }
}
