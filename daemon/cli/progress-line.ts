import type { Terminal } from './verb.ts';

// Carriage return, and "erase in line" from there to its end (ECMA-48, 8.3.41).
const REWIND = '\r\u001B[K';

/** One line on a terminal that says how far something came; nothing where standard error is no terminal. */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #isShown: boolean;
  #text = '';

  constructor(terminal: Terminal, isShown: boolean = process.stderr.isTTY) {
    this.#terminal = terminal;
    this.#isShown = isShown;
  }

  /** Puts another text in place of the former one. */
  show(text: string): void {
    if (!this.#isShown || text === this.#text) return;
    this.#text = text;
    this.#terminal.note(`${REWIND}${text}`);
  }

  /** Takes the line away. */
  clear(): void {
    if (this.#text !== '') this.#terminal.note(REWIND);
    this.#text = '';
  }
}
