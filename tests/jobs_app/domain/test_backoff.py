from jobs_app.domain.backoff import is_given_up, retry_delay_seconds


def test_each_failure_doubles_the_wait():
    assert [retry_delay_seconds(attempt) for attempt in range(1, 8)] == [2, 4, 8, 16, 32, 64, 128]


def test_the_eighth_failure_is_the_last():
    assert [is_given_up(attempt) for attempt in (1, 7, 8, 9)] == [False, False, True, True]
