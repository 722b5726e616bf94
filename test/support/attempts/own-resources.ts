import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

import type { Fact } from './attempt.ts';

const PROTOCOLS = ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6', 'packet', 'netlink'] as const;
const MAXIMUM_RESIDENT_MIB = 192;
const MAXIMUM_DESCRIPTORS = 256;
// A socket of the file system that accepts connections (__SO_ACCEPTCON), or one that has a name.
const UNIX_ADDRESS = /^\S+ \S+ \S+ (?:00010000 .*|.* [/@]\S*)$/;

/** Lists the sockets with an address that a process has, and what it uses beyond the limits of a bundle. */
export function findOwnResources(pid: number): readonly Fact[] {
  const descriptors = listDescriptors(pid);
  const inodes = new Set(descriptors.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? link));
  const sockets = PROTOCOLS.flatMap((protocol) =>
    readLines(`/proc/${pid}/net/${protocol}`)
      .filter((line) =>
        line
          .trim()
          .split(/\s+/)
          .some((word) => inodes.has(word)),
      )
      .map((line) => `${protocol} ${line.trim().split(/\s+/)[1] ?? ''}`),
  );
  const local = readLines(`/proc/${pid}/net/unix`)
    .filter((line) => inodes.has(line.trim().split(/\s+/)[6] ?? '') && UNIX_ADDRESS.test(line))
    .map((line) => `unix ${line.trim().split(/\s+/).slice(3).join(' ')}`);
  const residentKib = Number(/^VmRSS:\s+(\d+)/m.exec(readLines(`/proc/${pid}/status`).join('\n'))?.[1] ?? 0);
  return [
    ...[...sockets, ...local].map((detail): Fact => ({ kind: 'listening', detail })),
    ...(residentKib > MAXIMUM_RESIDENT_MIB * 1024 ? [outgrown(`${residentKib} KiB of memory`)] : []),
    ...(descriptors.length > MAXIMUM_DESCRIPTORS ? [outgrown(`${descriptors.length} descriptors`)] : []),
  ];
}

function outgrown(detail: string): Fact {
  return { kind: 'outgrown', detail };
}

function listDescriptors(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${name}`)];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
