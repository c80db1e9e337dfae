// The colour of a topic: one of eight by its name, always shown with the name.
export function topicColour(topic: string): string {
  let sum = 0;
  for (const character of topic) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 8191;
  return `var(--t${(sum % 8) + 1})`;
}
