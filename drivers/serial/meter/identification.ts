/** Speeds of mode C by their character (IEC 62056-21, 6.3.2), in bits per second. */
const SPEEDS = [300, 600, 1200, 2400, 4800, 9600, 19_200] as const;

const FORM = /^\/([A-Za-z]{3})([ -~])([ -~]*)$/;
// The sign-on that a two-wire line or an optical head returns.
const ECHO = /^\/\?/;

/** What a meter says about itself (IEC 62056-21, 6.3.2). */
export interface Identification {
  /** Three letters of the manufacturer, and type of the meter. */
  readonly name: string;
  readonly mode: 'A' | 'B' | 'C';
  /** Highest speed that the meter offers. */
  readonly baudRate: number;
  /** Time in which the meter, or the gateway, may begin to send after the other one. */
  readonly reactionMs: number;
}

// 6.3.2: a meter whose third letter is in lower case reacts faster.
const REACTION_MS = 200;
const FAST_REACTION_MS = 20;

/**
 * Parses an identification message without its line end.
 *
 * @param initialBaudRate speed of the sign-on, which mode A keeps
 * @returns undefined if it is none
 */
export function parseIdentification(line: string, initialBaudRate: number): Identification | undefined {
  const found = ECHO.test(line) ? null : FORM.exec(line);
  if (found === null) return undefined;
  const [, manufacturer = '', speed = '', type = ''] = found;
  const reactionMs = /[a-z]$/.test(manufacturer) ? FAST_REACTION_MS : REACTION_MS;
  const named = { name: `${manufacturer}${speed}${type}`, reactionMs };
  const digit = '0123456'.indexOf(speed);
  if (digit >= 0) return { ...named, mode: 'C', baudRate: SPEEDS[digit] ?? initialBaudRate };
  const letter = 'ABCDEF'.indexOf(speed);
  if (letter >= 0) return { ...named, mode: 'B', baudRate: SPEEDS[letter + 1] ?? initialBaudRate };
  return { ...named, mode: 'A', baudRate: initialBaudRate };
}

/** How a readout goes on after the identification. */
export interface ReadoutPlan {
  /** Sent by the gateway at the old speed; absent: the meter sends on without it. */
  readonly acknowledgement?: Buffer | undefined;
  /** Speed of the data. */
  readonly baudRate: number;
}

/** Chooses the speed of a readout and the acknowledgement that selects it (6.3.3). */
export function planReadout({ mode, baudRate }: Identification, maximumBaudRate: number): ReadoutPlan {
  if (mode !== 'C') return { baudRate };
  const speed = SPEEDS.findLastIndex((each) => each <= Math.min(baudRate, maximumBaudRate));
  const character = String(Math.max(speed, 0));
  return {
    acknowledgement: Buffer.from(`\x060${character}0\r\n`, 'latin1'),
    baudRate: SPEEDS[speed] ?? SPEEDS[0],
  };
}

/** Returns the request that begins a readout. */
export function createSignOn(meter: string | undefined, character = '?'): Buffer {
  return Buffer.from(`/${character}${meter ?? ''}!\r\n`, 'latin1');
}
