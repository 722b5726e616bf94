import { CommandError } from '../command-error.ts';
import { listIdentities } from '../../interface/identities.ts';
import type { RestClient } from '../rest-client.ts';
import { suggest } from '../suggestion.ts';
import type { Terminal } from '../verb.ts';

/**
 * Notes if the gateway has no identity of the name in a new client certificate, which is useless until there is one. Says
 * nothing if the gateway does not answer: an authority may be on another machine.
 */
export async function noteMissingIdentity(
  client: RestClient,
  name: string,
  terminal: Pick<Terminal, 'note'>,
): Promise<void> {
  const names = await listNames(client);
  if (names === undefined || names.includes(name)) return;
  const hint = suggest(name, names).replace(/^; expected .*/, '');
  terminal.note(
    `the gateway has no identity "${name}"${hint}\n` +
      `"penstock identity create ${name} --permission rest.assets" creates it\n`,
  );
}

async function listNames(client: RestClient): Promise<readonly string[] | undefined> {
  try {
    return (await client.call(listIdentities)).userConfig.map(({ userName }) => userName);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
