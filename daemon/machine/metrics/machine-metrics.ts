import type { Metric, Sample } from './exposition.ts';

/** Host measurements that take time at collection. */
export interface MeasuredMachine {
  /** The last reload, or the start without any since; undefined: unknown. */
  readonly reload: { readonly isSuccessful: boolean; readonly timeMs: number } | undefined;
  /** The disk with the state. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | undefined;
  /** Undefined if unknown. */
  readonly isClockSynchronized: boolean | undefined;
  /** Milliseconds since the epoch of the newest backup; undefined if none is known. */
  readonly newestBackupMs: number | undefined;
}

/** Unknown state of the host. */
export const UNKNOWN_MACHINE: MeasuredMachine = {
  reload: undefined,
  disk: undefined,
  isClockSynchronized: undefined,
  newestBackupMs: undefined,
};

/** The client certificate that an identity last used. */
export interface MeasuredClientCertificate {
  readonly identity: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

interface MachineSources {
  readonly machine: () => MeasuredMachine;
  readonly clientCertificates: () => readonly MeasuredClientCertificate[];
}

/** Describes the metrics that warn operators in advance; unknown values are absent. */
export function describeMachine({ machine, clientCertificates }: MachineSources): readonly Metric[] {
  const one = (valueOf: (measured: MeasuredMachine) => number | undefined) => (): readonly Sample[] => {
    const value = valueOf(machine());
    return value === undefined ? [] : [{ value }];
  };
  const metrics: readonly Omit<Metric, 'type'>[] = [
    {
      name: 'penstock_config_last_reload_successful',
      help: '1 if the last start or reload applied the configuration files',
      read: one(({ reload }) => (reload === undefined ? undefined : Number(reload.isSuccessful))),
    },
    {
      name: 'penstock_config_last_reload_timestamp_seconds',
      help: 'Time of the last start or reload, in seconds since 1970',
      read: one(({ reload }) => (reload === undefined ? undefined : reload.timeMs / 1000)),
    },
    {
      name: 'penstock_disk_free_bytes',
      help: 'Free space for the gateway on the data disk',
      read: one(({ disk }) => disk?.freeBytes),
    },
    {
      name: 'penstock_disk_size_bytes',
      help: 'Size of the data disk',
      read: one(({ disk }) => disk?.totalBytes),
    },
    {
      name: 'penstock_clock_synchronized',
      help: '1 while the system clock is synchronized with a time server; absent if unknown',
      read: one(({ isClockSynchronized: is }) => (is === undefined ? undefined : Number(is))),
    },
    {
      name: 'penstock_backup_timestamp_seconds',
      help: 'Time of the last backup by penstock backup, in seconds since 1970; absent: never',
      read: one(({ newestBackupMs }) => (newestBackupMs === undefined ? undefined : newestBackupMs / 1000)),
    },
    {
      name: 'penstock_client_certificate_expiry_timestamp_seconds',
      help: 'Expiry of the client certificate that an identity last used since the start, in seconds since 1970',
      read: () =>
        clientCertificates().map(({ identity, expiresAtMs }) => ({
          labels: { identity },
          value: expiresAtMs / 1000,
        })),
    },
  ];
  return metrics.map(({ name, help, read }) => ({ name, type: 'gauge', help, read }));
}
