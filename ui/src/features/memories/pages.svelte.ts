// The rows of the memory list, read page by page. The list knows its true length from the first page on; a page is
// read when it comes into view, and far ones are let go. An older answer never replaces a newer one, and old rows
// stay until new ones are here.
import {
  asEngineError,
  call,
  type EngineError,
  type LeftOut,
  type Memory,
  type MemoryQuery,
  type MemoryRow,
} from '$ipc';

/** Rows of one page: three to four screens. */
export const PAGE_ROWS = 100;

/** Pages kept in memory: 4,000 rows, about 4 MB. */
const PAGES_KEPT = 40;

/** What is asked, without the place of the page. */
export type Question = Omit<MemoryQuery, 'offset' | 'limit'>;

export class MemoryPages {
  /** One entry a row; `undefined` where the row has not been read. */
  rows = $state.raw<(MemoryRow | undefined)[]>([]);
  /** How many memories there are without the words. */
  of = $state(0);
  leftOut = $state.raw<LeftOut[]>([]);
  meaningSearched = $state(true);
  /** What the rows answer; `null` before the first answer. */
  answered = $state.raw<Question | null>(null);
  error = $state.raw<EngineError | null>(null);
  loading = $state(false);

  /** Rows arrived that were missing. */
  onread: (() => void) | null = null;

  private turn = 0;
  private filling = false;
  private visible: [number, number] = [0, 0];

  /** Asks. With `stay` the rows in view are read again where they are; otherwise the list starts at its top.
   *  Returns whether this answer is the newest. */
  async ask(question: Question, stay = false): Promise<boolean> {
    const turn = ++this.turn;
    const pages = stay && this.rows.length > 0 ? this.visiblePages() : [0];
    this.loading = true;
    try {
      const answers = await Promise.all(pages.map((page) => readPage(question, page)));
      const [first] = answers;
      if (turn !== this.turn || !first) return false;
      const rows: (MemoryRow | undefined)[] = new Array(first.total).fill(undefined);
      answers.forEach((answer, index) => put(rows, pages[index] ?? 0, answer.rows));
      this.rows = rows;
      this.of = first.of;
      this.leftOut = first.left_out;
      this.meaningSearched = first.meaning_searched;
      this.answered = question;
      this.error = null;
    } catch (thrown) {
      if (turn !== this.turn) return false;
      this.error = asEngineError(thrown);
      return true;
    } finally {
      if (turn === this.turn) this.loading = false;
    }
    void this.fill();
    return true;
  }

  /** These rows are in view; those that are missing are read. */
  show(first: number, last: number) {
    this.visible = [first, last];
    void this.fill();
  }

  indexOf(id: string): number {
    return this.rows.findIndex((row) => row?.memory.id === id);
  }

  /** Puts a newer version of a memory in its row. */
  replace(memory: Memory) {
    const index = this.indexOf(memory.id);
    const row = this.rows[index];
    if (row) this.rows = this.rows.map((old, at) => (at === index ? { ...row, memory } : old));
  }

  /** Takes rows out before the engine's answer comes, so that a deleted memory is gone at once. */
  drop(ids: ReadonlySet<string>) {
    this.rows = Array.from(this.rows).filter((row) => !row || !ids.has(row.memory.id));
  }

  /** Reads the missing pages in view, one at a time, so that a fast scroll asks only for where it ends. */
  private async fill() {
    if (this.filling || !this.answered) return;
    this.filling = true;
    try {
      for (;;) {
        const turn = this.turn;
        const question = this.answered;
        const page = this.visiblePages().find((candidate) => this.isMissing(candidate));
        if (page === undefined || !question) return;
        const answer = await readPage(question, page);
        if (turn !== this.turn) continue;
        if (answer.rows.length === 0) return;
        const rows = this.rows.slice();
        rows.length = answer.total;
        put(rows, page, answer.rows);
        this.letGo(rows, page);
        this.rows = Array.from(rows);
        this.onread?.();
      }
    } catch (thrown) {
      this.error = asEngineError(thrown);
    } finally {
      this.filling = false;
    }
  }

  private visiblePages(): number[] {
    const last = Math.max(0, this.rows.length - 1);
    const from = Math.floor(Math.min(this.visible[0], last) / PAGE_ROWS);
    const to = Math.floor(Math.min(this.visible[1], last) / PAGE_ROWS);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  }

  private isMissing(page: number): boolean {
    const from = page * PAGE_ROWS;
    const to = Math.min(from + PAGE_ROWS, this.rows.length);
    for (let index = from; index < to; index += 1) if (!this.rows[index]) return true;
    return false;
  }

  private letGo(rows: (MemoryRow | undefined)[], near: number) {
    const pages = Math.ceil(rows.length / PAGE_ROWS);
    if (pages <= PAGES_KEPT) return;
    const reach = Math.floor(PAGES_KEPT / 2);
    rows.fill(undefined, 0, Math.max(0, (near - reach) * PAGE_ROWS));
    rows.fill(undefined, Math.min(rows.length, (near + reach + 1) * PAGE_ROWS));
  }
}

const readPage = (question: Question, page: number) =>
  call('list_memories', { query: { ...question, offset: page * PAGE_ROWS, limit: PAGE_ROWS } });

function put(rows: (MemoryRow | undefined)[], page: number, found: MemoryRow[]) {
  found.forEach((row, index) => {
    if (page * PAGE_ROWS + index < rows.length) rows[page * PAGE_ROWS + index] = row;
  });
}
