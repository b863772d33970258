/* samples.c - sets and restores intervals of sampled profile sources. */
#include "capture/windows/etw/samples.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "capture/windows/api/numbers.h"
#include "capture/windows/etw/counters.h"

/* The clock is sampled by a flag of its own. */
static bool is_clock(const struct profile_source *source)
{
	return source->id == 0;
}

/* --- options --- */

static enum status parse_interval(struct etw_sample *sample, const char *text,
				  struct error *error)
{
	const struct profile_source *source = sample->source;
	char *end, shown[4 * PROFILE_SOURCE_NAME], words[80];
	unsigned long long value = strtoull(text, &end, 10);

	if (text[0] >= '0' && text[0] <= '9' && !*end && value >= source->least &&
	    value <= source->most && value > 0) {
		sample->interval = (uint32_t)value;
		return ST_OK;
	}
	text_shown(shown, sizeof(shown), str_of(source->name), 60);
	text_shown(words, sizeof(words), str_of(text), 20);
	return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
			 "invalid interval '%s' of %s: expected %u to %u", words, shown,
			 source->least, source->most);
}

static enum status choose(struct etw_samples *samples,
			  const struct profile_sources *sources, const char *text,
			  struct error *error)
{
	struct etw_sample *sample = &samples->samples[samples->count];
	const char *equals = strrchr(text, '=');
	char shown[80];

	assert(equals);
	text_shown(shown, sizeof(shown), str_of(text), 60);
	if (samples->count == ETW_SAMPLES_MAX)
		return error_set(error, ST_LIMIT, ERROR_NO_OFFSET,
				 "too many sampled sources: expected at most %d",
				 ETW_SAMPLES_MAX);
	*sample = (struct etw_sample){ 0 };
	sample->source = profile_sources_find(
		sources, (struct str){ text, (size_t)(equals - text) });
	if (!sample->source)
		return etw_counters_unknown(
			sources, (struct str){ text, (size_t)(equals - text) }, error);
	for (size_t i = 0; i < samples->count; i++)
		if (samples->samples[i].source == sample->source)
			return error_set(error, ST_UNSUPPORTED, ERROR_NO_OFFSET,
					 "--sample '%s': the source is given twice",
					 shown);
	samples->count++;
	return parse_interval(sample, equals + 1, error);
}

enum status etw_samples_choose(struct etw_samples *samples,
			       const struct profile_sources *sources,
			       const char *const *texts, size_t count,
			       struct error *error)
{
	enum status status = ST_OK;

	memset(samples, 0, sizeof(*samples));
	for (size_t i = 0; status == ST_OK && i < count; i++)
		status = choose(samples, sources, texts[i], error);
	return status;
}

/* --- calls --- */

static uint32_t set_interval(const struct etw_api *api, uint32_t source,
			     uint32_t interval)
{
	struct etw_profile_interval set = { source, interval };

	return api->set(0, WIN_TRACE_SAMPLE_INTERVAL, &set, sizeof(set));
}

static uint32_t begin_one(struct etw_sample *sample, const struct etw_api *api)
{
	struct etw_profile_interval former = { sample->source->id, 0 };
	uint32_t returned = 0, number;

	/* Optional: an interval that cannot be read is not restored. */
	if (api->query(0, WIN_TRACE_SAMPLE_INTERVAL, &former, sizeof(former),
		       &returned) == WIN_OK &&
	    returned == sizeof(former))
		sample->former = former.interval;
	number = set_interval(api, sample->source->id, sample->interval);
	sample->changed = number == WIN_OK;
	return number;
}

enum status etw_samples_begin(struct etw_samples *samples, const struct etw_api *api)
{
	uint32_t ids[ETW_SAMPLES_MAX];
	size_t counters = 0;

	for (size_t i = 0; i < samples->count; i++) {
		struct etw_sample *sample = &samples->samples[i];

		samples->failed = sample->source->name;
		samples->number = begin_one(sample, api);
		if (samples->number != WIN_OK)
			return ST_UNSUPPORTED;
		if (!is_clock(sample->source))
			ids[counters++] = sample->source->id;
	}
	if (!counters)
		return ST_OK;
	samples->failed = NULL; /* all of them */
	samples->number = api->set(0, WIN_TRACE_SAMPLE_SOURCES, ids,
				   (uint32_t)(counters * sizeof(*ids)));
	return samples->number == WIN_OK ? ST_OK : ST_UNSUPPORTED;
}

void etw_samples_end(struct etw_samples *samples, const struct etw_api *api)
{
	for (size_t i = 0; i < samples->count; i++) {
		struct etw_sample *sample = &samples->samples[i];

		if (sample->changed && sample->former)
			(void)set_interval(api, sample->source->id, sample->former);
		sample->changed = false;
	}
}

void etw_samples_flags(const struct etw_samples *samples, uint32_t *flags)
{
	for (size_t i = 0; i < samples->count; i++)
		if (is_clock(samples->samples[i].source))
			flags[0] |= WIN_FLAG_PROFILE;
		else
			flags[1] |= WIN_GROUP1_PMC_PROFILE;
}
