/**
 * Perl program that opens a pseudo terminal, because Node.js cannot and every Debian has perl: prints the path as its first
 * line, then copies between the terminal and its standard input and output until its input ends.
 */
export const PSEUDO_TERMINAL_PROGRAM = String.raw`
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
