"""Blobs in S3, Google Cloud Storage, Azure or a folder, behind one small port."""
