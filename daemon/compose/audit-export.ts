import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

import type { AuditLog } from '../security/audit/audit-log.ts';
import type { ChainedEvent } from '../security/audit/audit-chain.ts';
import { EventExporter } from '../security/audit/event-exporter.ts';
import { createExportCursor } from '../security/audit/export-cursor.ts';
import { sendToSyslog } from '../security/audit/syslog-connection.ts';
import { frameSyslogMessage } from '../security/audit/syslog-message.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Store } from '../base/store/store.ts';
import type { StaticSettings } from './static-settings.ts';

interface AuditExportOptions {
  readonly audit: AuditLog;
  readonly store: Store;
  readonly settings: StaticSettings;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Constructs the audit exports to the log and to a syslog server, as configured. */
export function composeAuditExport(options: AuditExportOptions): readonly EventExporter[] {
  const { audit, store, settings, logger, clock } = options;
  const { journal, syslog } = settings.current.audit;
  const toPlace = (
    place: string,
    send: ConstructorParameters<typeof EventExporter>[0]['send'],
  ): EventExporter =>
    new EventExporter({ audit, place, cursor: createExportCursor(store, place), send, logger, clock });
  return [
    ...(journal ? [toPlace('journal', (events) => writeToLog(logger, events))] : []),
    ...(syslog.host === null ? [] : [toPlace('syslog', createSyslogSender(options, syslog.host))]),
  ];
}

/** Writes events to the log, and so to the journal; with their hashes it is an independent proof of the events. */
function writeToLog(logger: Logger, events: readonly ChainedEvent[]): Promise<void> {
  for (const { id, hash, text } of events) logger.info('audit.stored', { id, hash, text });
  return Promise.resolve();
}

function createSyslogSender({ settings, clock }: AuditExportOptions, host: string) {
  return async (events: readonly ChainedEvent[], signal: AbortSignal): Promise<void> => {
    const { syslog } = settings.current.audit;
    // Read each time, because they are replaced before they expire.
    const [certificateAuthorities, certificate, privateKey] = await Promise.all(
      [syslog.certificateAuthoritiesFile, syslog.certificateFile, syslog.privateKeyFile].map(readOptional),
    );
    const server = { host, port: syslog.port, certificateAuthorities, certificate, privateKey };
    const bytes = Buffer.concat(events.map((event) => frameSyslogMessage(event, hostname())));
    await sendToSyslog(server, bytes, { signal, clock });
  };
}

async function readOptional(file: string | null): Promise<string | undefined> {
  return file === null ? undefined : readFile(file, 'utf8');
}
