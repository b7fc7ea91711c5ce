from jobs_app.models.job import Job

__all__ = ["Job"]
