import { StringDecoder } from 'node:string_decoder';

/** One event of a stream. */
export interface ReceivedEvent {
  readonly id?: string;
  readonly type?: string;
  readonly data?: string;
}

/** Takes a stream of events apart (WHATWG HTML, 9.2.6). */
export class EventParser {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onEvent: (event: ReceivedEvent) => void;
  #rest = '';

  constructor(onEvent: (event: ReceivedEvent) => void) {
    this.#onEvent = onEvent;
  }

  parse(chunk: Buffer): void {
    const blocks = (this.#rest + this.#decoder.write(chunk)).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== undefined) this.#onEvent(event);
    }
  }
}

function parseBlock(block: string): ReceivedEvent | undefined {
  const fields: { id?: string; type?: string; data?: string } = {};
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === 'id') fields.id = value;
    else if (name === 'event') fields.type = value;
    else if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
  }
  return fields.data === undefined && fields.type === undefined && fields.id === undefined
    ? undefined
    : fields;
}
