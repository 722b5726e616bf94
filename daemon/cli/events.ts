import { CLIENT_OPTIONS, CLIENT_USAGE, createClient } from './client-options.ts';
import type { ClientValues } from './client-options.ts';
import { parseOptions } from './command-line.ts';
import type { Verb } from './verb.ts';

/** Prints the events of the gateway. */
export const events: Verb = {
  name: 'events',
  summary: 'prints the events of the gateway, until stopped',
  usage: `Usage: penstock events [OPTION...]\n\nPrints server-sent events.\n\n${CLIENT_USAGE}`,
  async run(parameters, terminal) {
    const values = parseOptions(parameters, CLIENT_OPTIONS);
    const client = await createClient(values as ClientValues, terminal);
    for await (const chunk of client.stream('/services/events/v1', terminal.stopSignal))
      terminal.print(chunk);
  },
};
