/** One event of a stream. */
export interface ServerSentEvent {
  readonly type: string;
  /** Parsed JSON data. */
  readonly data: unknown;
}

/**
 * Parses the events of a stream (WHATWG HTML, 9.2.6); skips comments and events without data.
 *
 * @throws {SyntaxError} if the data of an event is not JSON
 */
export async function* readEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let rest = '';
  for await (const chunk of chunks) {
    const blocks = `${rest}${chunk}`.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readBlock(block);
      if (event !== undefined) yield event;
    }
  }
}

function readBlock(block: string): ServerSentEvent | undefined {
  const fields = block.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^(event|data): ?(.*)$/.exec(line) ?? [];
    return name === '' ? [] : [{ name, value }];
  });
  const data = fields.filter(({ name }) => name === 'data').map(({ value }) => value);
  if (data.length === 0) return undefined;
  const type = fields.findLast(({ name }) => name === 'event')?.value ?? 'message';
  return { type, data: JSON.parse(data.join('\n')) };
}
