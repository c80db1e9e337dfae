// Answers are Markdown. HTML in them is text; links are not followed inside the window; nothing remote is loaded.
import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';

const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true });
const { escapeHtml } = markdown.utils;

// A link is shown as a button that copies its address (`Markdown.svelte` listens): the window never navigates.
markdown.renderer.rules['link_open'] = (tokens, index) => {
  const address = escapeHtml(tokens[index]?.attrGet('href') ?? '');
  return `<button type="button" class="copy-link" data-address="${address}" title="${address}">`;
};
markdown.renderer.rules['link_close'] = () => '</button>';
// A picture would be remote content; its description stays.
markdown.renderer.rules['image'] = (tokens, index) => escapeHtml(tokens[index]?.content ?? '');

// `[1]` cites a memory.
markdown.inline.ruler.before('link', 'cite', (state, silent) => {
  const match = /^\[(\d{1,2})\](?![([])/.exec(state.src.slice(state.pos, state.pos + 5));
  if (!match) return false;
  if (!silent) {
    const token = state.push('cite', '', 0);
    token.content = match[1] ?? '';
  }
  state.pos += match[0].length;
  return true;
});
markdown.renderer.rules['cite'] = (tokens, index) => `<span class="cite">${tokens[index]?.content ?? ''}</span>`;

const TAGS = [
  ...['p', 'br', 'strong', 'em', 's', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'hr', 'span', 'button'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
];

/** Markdown as safe markup. */
export function renderMarkdown(text: string): string {
  const markup = markdown.render(text);
  return DOMPurify.sanitize(markup, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['class', 'type', 'title', 'data-address', 'start'],
  });
}
