import stat
import threading

from adk_project.shared.secret_key import load_or_create_secret_key


def test_it_makes_a_long_key_that_only_its_owner_can_read(tmp_path):
    path = tmp_path / "secret-key"
    assert len(load_or_create_secret_key(path)) >= 50
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_keeps_the_key(tmp_path):
    path = tmp_path / "secret-key"
    assert load_or_create_secret_key(path) == load_or_create_secret_key(path)


def test_first_starts_at_once_agree_on_one_key(tmp_path):
    path, barrier, keys = tmp_path / "secret-key", threading.Barrier(8), []

    def start():
        barrier.wait()
        keys.append(load_or_create_secret_key(path))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["secret-key"]
