/*
 * A client on libmodbus that reads holding registers again and again. Usage: libmodbus-client PORT REGISTERS
 * MILLISECONDS. It asks 127.0.0.1 for registers from 0 on, at most 125 at a time, for this duration, and prints the median
 * duration of one pass over all registers in microseconds.
 */
#include <modbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAXIMUM_PASSES 1000000

static double now_us(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double difference = *(const double *)a - *(const double *)b;
	return (difference > 0) - (difference < 0);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	int registers = atoi(argv[2]);
	double deadline = now_us() + atof(argv[3]) * 1000;
	double *durations = malloc(MAXIMUM_PASSES * sizeof *durations);
	uint16_t values[MODBUS_MAX_READ_REGISTERS];
	modbus_t *context = modbus_new_tcp("127.0.0.1", atoi(argv[1]));
	long passes = 0;

	if (durations == NULL || context == NULL || modbus_connect(context) != 0)
		return 1;
	while (passes == 0 || (now_us() < deadline && passes < MAXIMUM_PASSES)) {
		double start = now_us();
		for (int offset = 0; offset < registers; offset += MODBUS_MAX_READ_REGISTERS) {
			int left = registers - offset;
			int quantity = left < MODBUS_MAX_READ_REGISTERS ? left : MODBUS_MAX_READ_REGISTERS;
			if (modbus_read_registers(context, offset, quantity, values) != quantity)
				return 1;
		}
		durations[passes++] = now_us() - start;
	}
	qsort(durations, passes, sizeof *durations, compare);
	printf("%.1f\n", durations[passes / 2]);
	modbus_close(context);
	modbus_free(context);
	free(durations);
	return 0;
}
