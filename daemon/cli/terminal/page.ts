/** Output format: width and colours of a terminal; unlimited and without colours elsewhere. */
export interface Page {
  /** Columns of a line; undefined: no limit. */
  readonly columns: number | undefined;
  readonly isColoured: boolean;
}

const USUAL_COLUMNS = 80;
const MINIMUM_COLUMNS = 40;

/** Returns the format of standard output; no colours with NO_COLOR (no-color.org) or a dumb terminal. */
export function findPage(): Page {
  const { NO_COLOR: noColour = '', TERM: terminal, COLUMNS: columns = '' } = process.env;
  const { stdout } = process;
  const wanted = /^[1-9]\d{1,3}$/.test(columns) ? Number(columns) : undefined;
  const width = stdout.isTTY ? stdout.columns || USUAL_COLUMNS : wanted;
  return {
    columns: width === undefined ? undefined : Math.max(width, MINIMUM_COLUMNS),
    isColoured: stdout.isTTY && noColour === '' && terminal !== 'dumb',
  };
}

/** Severity shown as colour: OK, possible mistake, error. */
export type Tone = 'GOOD' | 'DOUBTFUL' | 'BAD';

// Select Graphic Rendition (ECMA-48, 8.3.117).
const CODES: Readonly<Record<Tone | 'TITLE', number>> = { GOOD: 32, DOUBTFUL: 33, BAD: 31, TITLE: 1 };

/** Colours a text by its tone, or prints a title in bold, if colours are enabled. */
export function paint(text: string, tone: Tone | 'TITLE' | undefined, { isColoured }: Page): string {
  if (!isColoured || tone === undefined || text === '') return text;
  return `\u001B[${CODES[tone]}m${text}\u001B[0m`;
}
