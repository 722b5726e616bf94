import { hostname } from 'node:os';

import { formatChain, parseChain } from '../../security/audit/chain-export.ts';
import type { ExportedChain } from '../../security/audit/chain-export.ts';
import { readWholeChain } from '../../security/audit/chain-reading.ts';
import { verifyChain } from '../../security/audit/chain-verifier.ts';
import type { ChainFinding } from '../../security/audit/chain-verifier.ts';
import { formatSyslogMessage } from '../../security/audit/syslog-message.ts';
import { readAuditChain } from '../../interface/security/audit.ts';
import type { ClientCommand, Invocation } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import type { RestClient } from '../client/rest-client.ts';
import { readTextFile } from '../terminal/text-file.ts';

const FORMATS = ['jsonl', 'rfc5424'] as const;

/** Verifies the hash chain of the gateway, or of an export. */
export const verifyCommand: ClientCommand = {
  parameters: '[EXPORT]',
  names: ['file'],
  summary: 'verify that no recorded event was changed or removed, here or in an export',
  options: {
    'public-key': {
      value: 'FILE',
      help: 'public key of the gateway, PEM (default: the one that it reports)',
      names: 'file',
    },
  },
  examples: ['penstock audit verify', 'penstock audit verify audit.jsonl --public-key gateway-audit.pem'],
  run: async ({ client, words: [file], options, show }) => {
    const chain = file === undefined ? await fetchChain(client) : await readExport(file);
    const keyFile = options['public-key'];
    const publicKey =
      typeof keyFile === 'string' ? await readTextFile(keyFile, 'public key file') : chain.publicKey;
    const finding = verify(chain, publicKey);
    show(finding, formatFinding);
    if (finding.fault === undefined) return;
    throw new CommandError({ code: 'AUDIT_BROKEN', detail: finding.fault });
  },
};

/** Exports all recorded events with their proofs. */
export const exportCommand: ClientCommand = {
  parameters: '',
  summary: 'write all recorded events to standard output, oldest first',
  options: {
    format: {
      value: 'FORMAT',
      help: 'jsonl, as read by "penstock audit verify", or rfc5424, as sent to syslog',
      default: 'jsonl',
    },
  },
  examples: ['penstock audit export > audit.jsonl'],
  run: async ({ client, options, terminal }: Invocation) => {
    const format = FORMATS.find((name) => name === options['format']);
    if (format === undefined) throw new UsageError(`--format: expected ${FORMATS.join(' or ')}`);
    const chain = await fetchChain(client);
    for (const line of format === 'jsonl' ? formatChain(chain) : formatMessages(chain)) terminal.print(line);
  },
};

function verify(chain: ExportedChain, publicKey: string): ChainFinding {
  try {
    return verifyChain(chain, publicKey);
  } catch (cause) {
    throw new CommandError({ code: 'KEY_UNREADABLE', detail: 'the public key cannot be read', cause });
  }
}

function formatFinding(finding: ChainFinding): string {
  const { fault, breaks, verified, trimmed, before, unproved, lost, checkpoints } = finding;
  const parts = [
    `events: ${verified}, checkpoints: ${checkpoints}; all of these are unchanged`,
    ...(trimmed > 0 ? [`${trimmed} older ones were removed by retention`] : []),
    ...(before > 0 ? [`${before} are from a release that did not link them`] : []),
    ...(lost > 0 ? [`${lost} were lost because the store accepted none`] : []),
    ...(unproved > 0 ? [`${unproved} from before a break cannot be verified`] : []),
    ...(fault === undefined || breaks.length > 0 ? [] : ['then the chain breaks']),
  ];
  const found = breaks.map(
    ({ firstId, timeMs, fault: reason }) =>
      `broken before event ${firstId}, found at ${formatLocalTime(timeMs)}: ${reason}\n`,
  );
  return `${parts.join('; ')}\n${found.join('')}`;
}

function* formatMessages({ events }: ExportedChain): Generator<string> {
  for (const { text, hash } of events) {
    const shown = JSON.parse(text) as Parameters<typeof formatSyslogMessage>[0];
    yield `${formatSyslogMessage(shown, { hostname: hostname(), text, hash })}\n`;
  }
}

async function readExport(file: string): Promise<ExportedChain> {
  const parsed = parseChain(await readTextFile(file));
  if (!('badLine' in parsed)) return parsed;
  const detail = `${file} is not a complete export of "penstock audit export": see line ${parsed.badLine}`;
  throw new CommandError({ code: 'EXPORT_UNREADABLE', detail });
}

/**
 * Verifies the hash chain of the gateway.
 *
 * @returns the defect; undefined if the chain is intact
 * @throws {CommandError} if it cannot be read, or `signal` has aborted
 */
export async function findChainFault(client: RestClient, signal: AbortSignal): Promise<string | undefined> {
  const chain = await fetchChain(client, signal);
  return verify(chain, chain.publicKey).fault;
}

function fetchChain(client: RestClient, signal?: AbortSignal): Promise<ExportedChain> {
  return readWholeChain(async (after) => {
    const { body } = await client.exchange(readAuditChain, {
      parameters: { after },
      ...(signal === undefined ? {} : { signal }),
    });
    const { breaks, ...page } = body;
    if (breaks === undefined) return page;
    return { ...page, breaks: breaks.map(({ firstId, time, fault }) => ({ firstId, timeMs: time, fault })) };
  });
}
