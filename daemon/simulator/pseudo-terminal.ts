import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, symlink } from 'node:fs/promises';
import type { ErrorCode } from '../base/error-codes.ts';
import { messageOf } from '../base/errors.ts';
import { describeFileFault } from '../base/file/file-fault.ts';
import { ProtocolUnavailable, PlantError } from './plant-protocol.ts';

const NEWLINE = 0x0a;

interface PseudoTerminalOptions {
  /** Path of a symbolic link to create, as a fixed name of the line; absent: none. */
  readonly link?: string | undefined;
  /** Called with the bytes that a program writes to the line. */
  readonly onChunk: (bytes: Buffer) => void;
}

/** A pseudo terminal that acts as a serial line to this process. */
interface PseudoTerminal {
  /** Path that a program opens: the link, or `/dev/pts/N`. */
  readonly path: string;
  /** Sends bytes to the program that reads the line; they are lost when none does. */
  send(bytes: Buffer): void;
  /** Removes the line, as when an adapter is unplugged, and its link. */
  close(): Promise<void>;
}

/**
 * Perl program that opens a pseudo terminal, because Node.js cannot and every Debian has perl: prints the path as its first
 * line, then copies between the terminal and its standard input and output until its input ends.
 */
const PSEUDO_TERMINAL_PROGRAM = String.raw`
use strict;
use warnings;
use Errno qw(EAGAIN EINTR);
use Fcntl;

# ioctl_tty(2); the numbers are those of Linux on x64 and arm64.
use constant TIOCSPTLCK => 0x40045431;
use constant TIOCGPTN   => 0x80045430;

sysopen my $master, '/dev/ptmx', O_RDWR | O_NOCTTY | O_NONBLOCK or die "/dev/ptmx: $!\n";
ioctl $master, TIOCSPTLCK, my $unlock = pack('i', 0) or die "TIOCSPTLCK: $!\n";
ioctl $master, TIOCGPTN, my $number = pack('I', 0) or die "TIOCGPTN: $!\n";
my $path = '/dev/pts/' . unpack('I', $number);

# The other end stays open here as well, so that a program that closes the line does not end it.
sysopen my $slave, $path, O_RDWR | O_NOCTTY or die "$path: $!\n";
system('stty', '-F', $path, 'raw', '-echo') == 0 or die "stty: failed\n";
syswrite STDOUT, "$path\n";

sub copy {
    my ($from, $to) = @_;
    my $length = sysread $from, my $bytes, 4096;
    return $!{EAGAIN} || $!{EINTR} unless defined $length;
    return 0 if $length == 0;
    # A line without a reader loses what does not fit, as a wire does.
    return defined(syswrite $to, $bytes) || $!{EAGAIN};
}

for (;;) {
    my $wanted = '';
    vec($wanted, fileno $_, 1) = 1 for \*STDIN, $master;
    next if select(my $ready = $wanted, undef, undef, undef) < 0;
    exit 0 if vec($ready, fileno STDIN, 1) && !copy(\*STDIN, $master);
    exit 0 if vec($ready, fileno $master, 1) && !copy($master, \*STDOUT);
}
`;

/**
 * Opens a pseudo terminal as a serial line.
 *
 * @throws {ProtocolUnavailable} `PERL_MISSING` or `PSEUDO_TERMINAL_UNAVAILABLE`
 * @throws {PlantError} `LINK_UNAVAILABLE`
 */
export async function openPseudoTerminal({ link, onChunk }: PseudoTerminalOptions): Promise<PseudoTerminal> {
  const child = spawn('perl', ['-e', PSEUDO_TERMINAL_PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = once(child, 'close').catch(() => undefined);
  const close = async (): Promise<void> => {
    child.stdin.end();
    child.kill();
    await closed;
  };
  // The stream ends with the child, whose end is handled.
  child.stdin.on('error', () => undefined);
  const path = await readPath(child);
  if (link !== undefined) {
    try {
      await symlink(path, link);
    } catch (cause) {
      await close();
      const detail = `cannot create the link ${link}: ${describeFileFault(cause, 'this user')}`;
      throw new PlantError({ code: 'LINK_UNAVAILABLE', detail, cause });
    }
  }
  child.stdout.on('data', onChunk).resume();
  return {
    path: link ?? path,
    send: (bytes) => void child.stdin.write(bytes),
    async close() {
      if (link !== undefined) await rm(link, { force: true });
      await close();
    },
  };
}

/** Reads the first line of the output; the rest stays in the stream. */
function readPath(child: ReturnType<typeof spawn>): Promise<string> {
  const { stdout, stderr } = child;
  return new Promise((resolve, reject) => {
    let output = Buffer.alloc(0);
    let errors = '';
    const fail = (code: ErrorCode, detail: string, cause?: unknown): void =>
      reject(new ProtocolUnavailable({ code, detail, cause }));
    const onData = (bytes: Buffer): void => {
      output = Buffer.concat([output, bytes]);
      const end = output.indexOf(NEWLINE);
      if (end < 0) return;
      stdout?.off('data', onData);
      stdout?.pause();
      if (end + 1 < output.length) stdout?.unshift(output.subarray(end + 1));
      resolve(output.toString('latin1', 0, end));
    };
    stdout?.on('data', onData);
    stderr?.on('data', (bytes: Buffer) => (errors += bytes.toString()));
    child.once('error', (cause) =>
      fail('PERL_MISSING', `cannot start perl (apt-get install perl-base): ${messageOf(cause)}`, cause),
    );
    child.once('close', () =>
      fail('PSEUDO_TERMINAL_UNAVAILABLE', `cannot create a pseudo terminal: ${errors.trim()}`),
    );
  });
}
