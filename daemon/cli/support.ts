import { writeFileAtomically } from '../base/file/atomic-file.ts';
import { messageOf } from '../base/errors.ts';
import { redactSecrets } from '../base/text/redact-secrets.ts';
import { readVersion } from '../base/version.ts';
import { collectSupport } from '../interface/status.ts';
import { createCommandGroup } from './client/client-commands.ts';
import { CONFIG_OPTION } from './client/client-options.ts';
import type { RestClient } from './client/rest-client.ts';
import { CommandError, describeFileFailure } from './command-error.ts';
import { findMachineProblems } from './doctor.ts';

// Names and addresses of a plant are confidential.
const OWNER_ONLY = 0o600;

/** Collects what support needs in one file. */
export const support = createCommandGroup('support', 'collect information for support in a file', {
  '': {
    parameters: 'FILE',
    summary: 'write versions, states, findings, log and configuration to a file, without secrets',
    text: 'Writes one JSON file that can be read before it is sent. It contains the same as "Collect for support" of the console, and what "penstock doctor" finds on the machine; if the gateway does not respond, that alone. Names and addresses of the plant are in it.',
    options: { config: CONFIG_OPTION },
    names: ['file'],
    examples: ['penstock support /tmp/penstock-support.json'],
    run: async ({ client, words, options, show }) => {
      const [file = ''] = words;
      const findings = await findMachineProblems(String(options['config']));
      const report = await readReport(client);
      await write(file, redactSecrets(`${JSON.stringify({ ...report, findings }, undefined, 2)}\n`, []));
      const isComplete = !('failure' in report);
      show({ file, isComplete }, () =>
        isComplete
          ? `${file}: written\n`
          : `${file}: written without the report of the gateway, which does not respond\n`,
      );
    },
  },
});

async function readReport(client: RestClient): Promise<object> {
  try {
    return await client.call(collectSupport);
  } catch (error) {
    return { gateway: { version: readVersion() }, failure: messageOf(error) };
  }
}

/** @throws {CommandError} `FILE_UNWRITABLE` */
async function write(file: string, text: string): Promise<void> {
  try {
    await writeFileAtomically(file, text, OWNER_ONLY);
  } catch (error) {
    const detail = `${file} cannot be written: ${describeFileFailure(error)}`;
    throw new CommandError({ code: 'FILE_UNWRITABLE', detail, cause: error });
  }
}
