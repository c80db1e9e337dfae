import { expect, test } from 'vitest';
import { renderMarkdown } from './markdown';

test('lists, code, tables and citations', () => {
  const markup = renderMarkdown(
    'Here is what I know:\n\n- Prefers aisle seats. [1]\n- `code`\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n',
  );
  expect(markup).toContain('<li>Prefers aisle seats. <span class="cite">1</span></li>');
  expect(markup).toContain('<code>code</code>');
  expect(markup).toContain('<table>');
  // An inline style would break the content security policy.
  expect(markup).not.toContain('style');
});

test('markup in an answer is text', () => {
  const markup = renderMarkdown('<img src=x onerror=alert(1)> <script>alert(1)</script> <b onclick="x">b</b>');
  expect(markup).not.toMatch(/<(img|script|b)\b/);
  expect(markup).toContain('&lt;script&gt;');
});

test('a link does not navigate, whatever its address', () => {
  const markup = renderMarkdown(
    '[docs](https://example.org/a?b=1) [bad](javascript:alert(1)) ![pic](https://example.org/p.png)',
  );
  expect(markup).not.toMatch(/<a\b|href=|<img|src=/);
  expect(markup).toContain('data-address="https://example.org/a?b=1"');
  expect(markup).not.toContain('data-address="javascript');
});

test('brackets that are not citations stay', () => {
  expect(renderMarkdown('[1](https://example.org) [12] [123] [a]')).toContain('<span class="cite">12</span>');
  expect(renderMarkdown('[123] [a]')).not.toContain('cite');
});
