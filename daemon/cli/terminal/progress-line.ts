import type { Terminal } from '../command-group.ts';

// Carriage return, and "erase in line" from there to its end (ECMA-48, 8.3.41).
const REWIND = '\r\u001B[K';

/** Shows progress in one line of the terminal; nothing if standard error is not a terminal. */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #isShown: boolean;
  #text = '';

  constructor(terminal: Terminal, isShown: boolean = process.stderr.isTTY) {
    this.#terminal = terminal;
    this.#isShown = isShown;
  }

  /** Replaces the text of the line. */
  show(text: string): void {
    if (!this.#isShown || text === this.#text) return;
    this.#text = text;
    this.#terminal.note(`${REWIND}${text}`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#text !== '') this.#terminal.note(REWIND);
    this.#text = '';
  }
}
