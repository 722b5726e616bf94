/** Event of a stream (HTML, 9.2.6). */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly type: string;
  readonly data: string;
}

/** Incremental parser of an event stream; returns each event when complete. */
export class EventParser {
  #rest = '';

  push(text: string): readonly ServerEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap(parseBlock);
  }
}

function parseBlock(block: string): readonly ServerEvent[] {
  let id: string | undefined;
  let type = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    // A comment: the keep-alive of the gateway.
    if (colon === 0) continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'id') id = value;
    else if (name === 'event') type = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? [] : [{ id, type, data: data.join('\n') }];
}
